-- Texts that were indexed before words were indexed without accents, with the words of identifiers and with the syllables
-- of Korean are indexed again while the broker runs (SEARCH-12). The value has the last key of each table that was read,
-- and the row goes when all tables are done.
INSERT INTO settings (key, value) VALUES ('words_refresh', '{}') ON CONFLICT DO NOTHING;
