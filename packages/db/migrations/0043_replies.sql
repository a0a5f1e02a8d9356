-- The index of replies is built while the broker runs, because building it here would block posts (DB-42).
SELECT 1;
