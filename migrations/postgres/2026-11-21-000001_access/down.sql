DROP TABLE api_key_accounts;
DROP TABLE api_keys;
DROP TABLE accounts;
DROP TABLE client_features;
DROP TABLE clients;
