-- The sum of any number of orders: a hundred of the most an order can come to did not fit. No row is written anew.
alter table customer alter column amount_spent type numeric(22, 3);
