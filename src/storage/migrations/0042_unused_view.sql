-- Figures are read from analytic_total and analytic_change themselves, so that a distributed database sees their store.
drop view analytic_count;
