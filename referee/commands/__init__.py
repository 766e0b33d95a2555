"""One module a command; each is thin over the rooms."""

import os

# Cards are small matrices: threads inside BLAS cost more than they bring, and fight where other processes
# run. It has to be said before numpy is first imported, which commands do when they are asked for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
