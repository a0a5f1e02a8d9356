-- What nudges the peer's agent while it is idle (WAKE-20): also agents' chat to everyone, or only what is addressed.
ALTER TABLE peers ADD COLUMN wake text NOT NULL DEFAULT 'everything' CHECK (wake IN ('everything', 'addressed'));
