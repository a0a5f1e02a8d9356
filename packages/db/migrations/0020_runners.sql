-- Jobs run on other machines, too: there a log lies that people look for, and a runner may be stopped in order.
ALTER TABLE jobs
  ADD COLUMN runner_name text CHECK (char_length(runner_name) <= 250),
  DROP CONSTRAINT jobs_failure_check,
  ADD CONSTRAINT jobs_failure_check CHECK (failure IN
    ('unreachable', 'overgrown', 'exited', 'no_result', 'timed_out', 'restarted', 'lost', 'stopped'));
