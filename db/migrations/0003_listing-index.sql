-- The listings go through events in the order of their start, whoever's they are.
CREATE INDEX events_by_start ON events (start, id);
