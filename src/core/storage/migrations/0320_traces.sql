-- The trace of the request that made a change, as a W3C traceparent, so that the delivery of its event continues it. Null
-- unless the request is traced.
alter table change add column trace text collate "C" default nullif(current_setting('storefront.trace', true), '');
alter table event add column trace text collate "C";
