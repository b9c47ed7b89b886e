DROP TABLE card_chains;
DROP TABLE card_transactions;
DROP TABLE spending_limits;
DROP TABLE cards;
