-- After a restore numbers are given a second time, and a peer may come with one from before without saying of which
-- history it is: each is told once. A restore of an older schema leaves a mark, since this column comes after it.
ALTER TABLE peers ADD COLUMN resync boolean NOT NULL DEFAULT false;
UPDATE peers SET resync = true WHERE EXISTS (SELECT FROM settings WHERE key = 'restored');
