-- name: lock_account
SELECT a.id, a.kind, a.balance, a.credit_limit FROM accounts a WHERE a.id = $1 FOR UPDATE

-- name: read_accounts
SELECT a.id, a.kind, a.balance, a.credit_limit FROM accounts a WHERE a.id = ANY ($1::text[])

-- name: read_vendor_accounts
SELECT a.id, a.kind, a.balance, a.credit_limit
FROM accounts a
WHERE a.partner = ANY ($1::text[]) AND a.kind = 'vendor'

-- name: insert_transfers
INSERT INTO transfers (debit_account, kind, ref, credit_account, amount, created_at)
SELECT u.debit_account, $1, u.ref, u.credit_account, u.amount, $2
FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) AS u(debit_account, ref, credit_account, amount)

-- name: move_balances
-- Accounts in the order of their ids, and as they are then. It fails by a division by zero unless it changes all of them.
WITH changed AS (
  UPDATE accounts a SET balance = a.balance + u.amount
  FROM unnest($1::text[], $2::bigint[]) AS u(id, amount)
  WHERE a.id = ANY ($1::text[]) AND a.id = u.id
  RETURNING a.id, a.kind, a.balance, a.credit_limit
)
SELECT 1 / (count(*) = cardinality($1::text[]))::integer AS all_changed, json_agg(changed) AS accounts FROM changed
