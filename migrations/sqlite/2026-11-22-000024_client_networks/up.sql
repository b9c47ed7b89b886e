-- What callers recorded about the networks of their client, as JSON. The networks themselves are in allowed_networks.

ALTER TABLE clients ADD COLUMN network_details TEXT;
