-- In schema/: new databases have this already.
--
-- Changes of a distributed database are numbered without a floor, so nothing asks any more which machine recorded it.
drop function if exists local_node();
