-- The first build with a number. Builds without one compare versions, and all of them are 0.1.0: they read the `0b1` here as the
-- number 1 and refuse to start. They would replace the SQL functions with their own older texts, and archived feeds would look
-- empty to them. Builds with a number read `compatible_build` only.
UPDATE merkle_migrations.compatibility SET compatible_from = '0.1.0b1', compatible_build = 1;
