-- name: deals_of_vendor
SELECT d.id, d.org, d.events, d.extra, d.start, d.finish, d.active FROM deals d WHERE d.vendor = $1 ORDER BY d.id DESC
