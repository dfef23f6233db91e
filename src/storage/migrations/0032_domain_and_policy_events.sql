select capture_changes('domain', states => '{is_primary}', steady => true);
select capture_changes('policy', states => '{type,is_published}', steady => true);
