DROP TABLE banks;
DROP TABLE checkout_counts;
DROP TABLE checkouts;
