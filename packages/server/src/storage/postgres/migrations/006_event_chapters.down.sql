-- 006_event_chapters
drop table event_chapter_part;
drop table event_chapter;
