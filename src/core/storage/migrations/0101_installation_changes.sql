-- Installations from before their changes were counted get numbers of their own, so that an app can read them in pages.
update installation i set change = n.number
from (select id, row_number() over (partition by app_id order by created_at, id) as number from installation) n
where n.id = i.id and i.change = 0;
update app a set changes = greatest(a.changes, coalesce((select max(i.change) from installation i where i.app_id = a.id), 0));
