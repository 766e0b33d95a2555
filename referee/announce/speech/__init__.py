"""Speech: from rulings to sound. Sentences come from the room around; devices are at the edge (`players`)."""
