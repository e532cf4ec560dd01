-- Lists of orders are read status by status and merged, so that a rare status is found without a look at all other orders.
-- No release has used the indexes that these replace.
CREATE INDEX orders_of_vendor_by_status ON orders (vendor, status, id);
CREATE INDEX orders_of_org_by_status ON orders (org, status, id) INCLUDE (vendor);
DROP INDEX orders_of_vendor;
DROP INDEX orders_of_org;
