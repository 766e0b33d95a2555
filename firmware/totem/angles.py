"""Angles in whole numbers: a board's floats live on the heap, and the scan loop may not use it.

Belongs here: the length and the direction of a vector by CORDIC. Source: Volder, IRE Transactions on Electronic
Computers EC-8(3), 1959.
"""

from array import array

from compat import micropython, ptr16

# atan(2^-i) in 0.01 degrees
STEPS = array("H", [4500, 2657, 1404, 713, 358, 179, 90, 45, 22, 11, 6, 3, 1])


@micropython.viper
def length(x: int, y: int) -> int:
    """1.6468 times the length of (x, y), for |x|, |y| up to 2^17."""
    if x < 0:
        x = 0 - x
    step = 0
    while step < 13:
        turned = x
        if y > 0:
            x += y >> step
            y -= turned >> step
        else:
            x -= y >> step
            y += turned >> step
        step += 1
    return x


@micropython.viper
def direction(y: int, x: int, steps) -> int:
    """Angle of (x, y) from the x axis in 0.01 degrees, 0 to 18000, for y >= 0."""
    angle_of = ptr16(steps)
    turn_over = 0
    if x < 0:
        x = 0 - x
        turn_over = 1
    angle = 0
    step = 0
    while step < 13:
        turned = x
        if y > 0:
            x += y >> step
            y -= turned >> step
            angle += int(angle_of[step])
        else:
            x -= y >> step
            y += turned >> step
            angle -= int(angle_of[step])
        step += 1
    if angle < 0:
        angle = 0
    if turn_over:
        return 18000 - angle
    return angle
