-- What a store says of itself. The time zone is an IANA name, checked by the service: days and weeks of reports are the
-- store's own.
alter table store
  add column time_zone       text not null default 'UTC' check (time_zone <> ''),
  add column language        text not null default 'en' check (language <> ''),
  add column contact_email   text,
  add column contact_phone   text,
  add column contact_address text;
