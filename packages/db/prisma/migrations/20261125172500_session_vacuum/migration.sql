-- Sessions are updated when they are used. With vacuums at 2 % of dead rows and room in each page, the table grows by a tenth of what
-- it grew before, and most updates write no index (docs/capacity.md).
ALTER TABLE "sessions" SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
