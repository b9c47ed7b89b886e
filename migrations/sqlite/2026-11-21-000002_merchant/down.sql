DROP TABLE banks;
DROP TABLE checkouts;
