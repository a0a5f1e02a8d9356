-- How many inboxes and waits of a peer there are at each node, since one of several may close while another stays:
-- {"<node_id>": [inboxes, waits]}. `held_node` goes on saying where an inbox was opened last.
ALTER TABLE peers ADD COLUMN here jsonb NOT NULL DEFAULT '{}';
