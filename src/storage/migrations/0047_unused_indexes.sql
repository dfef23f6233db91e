-- Each new order wrote these. Lines and deliveries of an order are also found through their unique keys, and countries are
-- never deleted.
drop index order_line_order;
drop index delivery_order;
drop index orders_country;
