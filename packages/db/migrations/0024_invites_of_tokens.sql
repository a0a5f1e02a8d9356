-- Of an invite that was made with a token: that ends the invite, too. Those that there are were made by whoever they say.
ALTER TABLE invites ADD COLUMN parent integer;
