-- Switching to a dearer plan credits what was paid for the rest of the period. That was computed from the price that the plan has
-- now, which the operator may have changed since: a store got back more than it had paid, or less. The price of the running
-- period is kept. Null in those that began before: then it is the price of the plan.
alter table subscription add column price numeric(15, 3);
