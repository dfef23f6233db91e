-- Who made a change: besides the app, the person behind it, and whether an assistant did it for them.
alter table change add column account_id uuid default nullif(current_setting('storefront.account', true), '')::uuid;
alter table change add column via text collate "C" default nullif(current_setting('storefront.via', true), '');
alter table event add column account_id uuid;
alter table event add column via text collate "C";

-- Null: an app by itself, or a person in the console.
alter table order_event add column via text collate "C" check (via = 'assistant');
select capture_changes('order_event', 'order', part => 'history', whole => 'order_id', hidden => '{note,via}',
  operations => '{update,delete}');

alter table call add column via text;
