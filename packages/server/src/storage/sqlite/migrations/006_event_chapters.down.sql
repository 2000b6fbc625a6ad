-- 006_event_chapters
drop table event_chapter;
