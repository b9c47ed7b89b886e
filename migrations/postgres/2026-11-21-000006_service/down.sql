DROP TABLE imported_addresses;
DROP TABLE idempotency_records;
