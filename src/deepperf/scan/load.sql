CREATE TABLE journal AS
SELECT DISTINCT ON (package, version) *
FROM read_json(getvariable('folder') || '/rows.jsonl', format = 'newline_delimited', columns = {
    package: 'VARCHAR', version: 'VARCHAR', state: 'VARCHAR', message: 'VARCHAR',
    tree: 'STRUCT(digest VARCHAR, bytes BIGINT, lines BIGINT, files BIGINT, "year" INTEGER, frameworks VARCHAR[])',
    spent: 'STRUCT(preparing DOUBLE, seconds DOUBLE, elapsed DOUBLE, peak BIGINT, tries INTEGER)'
});
CREATE TABLE found AS
SELECT DISTINCT *
FROM read_json(getvariable('folder') || '/findings.jsonl', format = 'newline_delimited', columns = {
    package: 'VARCHAR', version: 'VARCHAR', path: 'VARCHAR', line: 'BIGINT', "column": 'BIGINT',
    rule: 'VARCHAR', level: 'VARCHAR', role: 'VARCHAR', message: 'VARCHAR', text: 'VARCHAR',
    occurrence: 'BIGINT', steps: 'VARCHAR[]', framework: 'VARCHAR', estimate: 'DOUBLE',
    fingerprint: 'VARCHAR', fix: 'VARCHAR'
});
CREATE TABLE trouble AS
SELECT DISTINCT *
FROM read_json(getvariable('folder') || '/troubles.jsonl', format = 'newline_delimited', columns = {
    package: 'VARCHAR', version: 'VARCHAR', path: 'VARCHAR', line: 'BIGINT', message: 'VARCHAR',
    internal: 'BOOLEAN'
})
