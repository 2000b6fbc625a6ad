drop table adoption_step;
drop table adoption;
