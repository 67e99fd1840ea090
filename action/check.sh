#!/usr/bin/env bash
# Checks, annotates the changed lines, and leaves a SARIF file for the steps that follow.
set -euo pipefail

words=(--format github --output "sarif=${SARIF}")
if [[ -n "${SINCE:-}" ]]; then words+=(--since "${SINCE}"); fi
if [[ -n "${FAIL_ON:-}" ]]; then words+=(--fail-on "${FAIL_ON}"); fi
while IFS= read -r word; do
    if [[ -n "${word}" ]]; then words+=("${word}"); fi
done <<<"${ARGUMENTS:-}"
words+=(--)
while IFS= read -r path; do
    if [[ -n "${path}" ]]; then words+=("${path}"); fi
done <<<"${PATHS:-.}"

status=0
deepperf check "${words[@]}" || status=$?
if [[ -s "${SARIF}" ]]; then
    printf 'sarif=%s\n' "${SARIF}" >>"${GITHUB_OUTPUT}"
fi
exit "${status}"
