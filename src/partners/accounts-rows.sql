-- name: ensure_account
INSERT INTO accounts (id, partner, kind, currency)
VALUES ($1, $2, $3, $4)
ON CONFLICT ON CONSTRAINT accounts_one_of_a_kind DO NOTHING

-- name: find_account
SELECT id
FROM accounts
WHERE partner IS NOT DISTINCT FROM $1 AND kind = $2 AND currency = $3

-- name: lock_account
SELECT balance
FROM accounts
WHERE id = $1
FOR UPDATE

-- name: insert_transfer
INSERT INTO transfers (debit_account, kind, ref, credit_account, amount, created_at)
VALUES ($1, $2, $3, $4, $5, to_timestamp($6::double precision / 1000))
ON CONFLICT ON CONSTRAINT transfers_once DO NOTHING
RETURNING ref

-- name: find_transfer
SELECT credit_account, amount
FROM transfers
WHERE debit_account = $1 AND kind = $2 AND ref = $3

-- name: move_balance
UPDATE accounts
SET balance = balance + $2
WHERE id = $1

-- name: accounts_of_partner
SELECT id, kind, currency, balance, credit_limit
FROM accounts
WHERE partner = $1
ORDER BY kind, currency

-- name: last_transfers
SELECT kind, ref, created_at, CASE WHEN debit_account = $1 THEN -amount ELSE amount END AS amount
FROM transfers
WHERE debit_account = $1 OR credit_account = $1
ORDER BY created_at DESC, kind, ref
LIMIT $2
