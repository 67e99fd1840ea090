CREATE VIEW packages AS SELECT * FROM stored_packages;
CREATE VIEW tasks AS SELECT * FROM stored_tasks;
CREATE VIEW findings AS
SELECT p.run, p.name AS package, p.version, f.* EXCLUDE (run, key)
FROM stored_packages p JOIN stored_findings f USING (key);
CREATE VIEW troubles AS
SELECT p.run, p.name AS package, p.version, t.* EXCLUDE (run, key)
FROM stored_packages p JOIN stored_troubles t USING (key)
