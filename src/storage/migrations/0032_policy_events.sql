select capture_changes('policy', states => '{type,is_published}', steady => true);

-- At the end of the transaction: rows that go with their store fire their triggers after those of the store.
drop trigger forget_changes on store;
create constraint trigger forget_changes after delete on store deferrable initially deferred
  for each row execute function forget_changes();
