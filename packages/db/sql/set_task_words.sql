-- Sets the words of a task for search: those of its title and labels have the most weight.
CREATE OR REPLACE FUNCTION set_task_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.words := setweight(to_tsvector('english', words_of(NEW.title)), 'A')
    || setweight(to_tsvector('english', words_of(VARIADIC NEW.labels)), 'A')
    || to_tsvector('english', words_of(NEW.text, NEW.result));
  RETURN NEW;
END $$;
