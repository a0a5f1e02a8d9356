-- Separates the words of identifiers: getUserById becomes get User By Id, and HTTPServer becomes HTTP Server.
CREATE OR REPLACE FUNCTION cut_identifiers(content text, separator text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(content, '(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', separator, 'g');
