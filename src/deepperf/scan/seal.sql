-- `place` counts packages in the order of their names, and decides on the shard.
CREATE TABLE ordered AS
SELECT row_number() OVER (ORDER BY package, version) - 1 AS place, *,
    CASE WHEN state IN ('done', 'same as before')
        THEN tree.digest || '-' || getvariable('engine') ELSE '' END AS key
FROM journal;

-- What a tree and an engine give is kept once, with the first package that has the tree.
CREATE TABLE new_keys AS
SELECT key, min(place) AS place FROM ordered
WHERE state = 'done' AND key NOT IN (SELECT key FROM known WHERE key IS NOT NULL)
GROUP BY key;

CREATE VIEW all_packages AS
SELECT place, package AS name, version, key, tree.digest AS tree, tree."year" AS "year",
    tree.frameworks AS frameworks, tree.files AS files, tree.lines AS lines, tree.bytes AS bytes
FROM ordered ORDER BY place;

CREATE VIEW all_tasks AS
SELECT place, package AS name, version, state, message, spent.seconds AS seconds,
    spent.preparing AS preparing, spent.elapsed AS elapsed, spent.peak AS peak,
    spent.tries AS tries
FROM ordered ORDER BY place;

CREATE VIEW all_findings AS
SELECT place, key, path, line, "column" AS col, rule, level, role, framework, estimate, found.message AS message,
    text, occurrence, steps, fingerprint, fix
FROM ordered JOIN new_keys USING (place, key) JOIN found USING (package, version)
ORDER BY place, path, line, col, rule, occurrence, found.message;

CREATE VIEW all_troubles AS
SELECT place, key, path, line, trouble.message AS message, internal
FROM ordered JOIN new_keys USING (place, key) JOIN trouble USING (package, version)
ORDER BY place, path, line, trouble.message
