-- Finds the replies to a message, so that an ask without one is known as unanswered (ATT-15).
CREATE INDEX messages_replying ON messages (session_id, reply_to) WHERE reply_to IS NOT NULL AND type = 'chat';
