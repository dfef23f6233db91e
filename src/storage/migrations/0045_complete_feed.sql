-- Everything that a reply shows is in the feed, so that a reply can be sent again as long as the feed is the same.
select capture_changes('domain', states => '{host,is_primary}');

-- What the service writes here it writes together with rows that are captured already: this is for changes made in SQL.
select capture_changes('delivery_line', 'order', part => 'deliveries.order_variants', whole => 'order_id',
  operations => '{update,delete}');
select capture_changes('return_line', 'order', part => 'returns.return_variants', whole => 'order_id',
  operations => '{update,delete}');
select capture_changes('refund_line', 'order', part => 'refunds.refund_variants', whole => 'order_id',
  operations => '{update,delete}');
select capture_changes('order_event', 'order', part => 'history', whole => 'order_id', operations => '{update,delete}');
select capture_changes('variant_value', 'product', part => 'variants.values', whole => 'product_id',
  operations => '{update}');
