-- A parcel in one's hands is found by the number on it. Deliveries without a number, as all new ones are, cost nothing.
create index delivery_tracking_number on delivery (store_id, upper(tracking_number)) where tracking_number is not null;
