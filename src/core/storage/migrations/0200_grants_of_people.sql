-- A client without a secret runs on somebody's own computer, so its tokens may do what that person may, and no more. Null: an
-- app with a secret, or a grant from before; the latter end here, because nobody knows whose they are.
alter table oauth_grant add column account_id uuid references account on delete cascade;
alter table oauth_code add column account_id uuid references account on delete cascade;
create index oauth_grant_account on oauth_grant (account_id) where account_id is not null;
create index oauth_code_account on oauth_code (account_id) where account_id is not null;

delete from oauth_grant using app where app.id = oauth_grant.app_id and app.is_public;
delete from oauth_code using app where app.id = oauth_code.app_id and app.is_public;
