-- What was redacted is found with who did it, however much of a feed that is: the event replies to the message. An event
-- without one is about versions of the document.
CREATE INDEX messages_redacting ON messages (session_id, reply_to) WHERE kind = 'message_redacted';
--> statement-breakpoint
-- An earlier value that was removed is not one that was deleted then.
ALTER TABLE state_versions
  ADD COLUMN redacted boolean NOT NULL DEFAULT false,
  ADD CHECK (NOT redacted OR value IS NULL);
