"use strict";

// What the extension starts, spoken to over standard input and output as the extension does.
const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { spawn } = require("node:child_process");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const rpc = require("vscode-languageserver-protocol/node");
const { clientOptions, serverOptions } = require("./options");

const TEXT = `import tensorflow as tf

for step in range(1000):
    predict = tf.function(lambda x: x + 1)
    predict(step)
`;

test("the server finds what is opened, and says why", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "deepperf-"));
  const uri = pathToFileURL(path.join(folder, "train.py")).href;
  const command = (process.env.DEEPPERF || "deepperf lsp").split(" ");
  const start = serverOptions(command, folder);
  const server = spawn(start.command, start.args, { ...start.options, stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(server.stdout),
    new rpc.StreamMessageWriter(server.stdin),
  );
  try {
    const published = new Promise((resolve) =>
      connection.onNotification(rpc.PublishDiagnosticsNotification.type, resolve),
    );
    connection.listen();
    const answer = await connection.sendRequest(rpc.InitializeRequest.type, {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: { notebookDocument: { synchronization: {} } },
      initializationOptions: clientOptions({ level: "note" }).initializationOptions,
    });
    assert.ok(answer.capabilities.hoverProvider);
    assert.ok(answer.capabilities.notebookDocumentSync);
    await connection.sendNotification(rpc.InitializedNotification.type, {});
    await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: "python", version: 1, text: TEXT },
    });
    const { diagnostics } = await published;
    assert.ok(diagnostics.map((one) => one.code).includes("compiled-per-call"));
    const hover = await connection.sendRequest(rpc.HoverRequest.type, {
      textDocument: { uri },
      position: { line: 3, character: 16 },
    });
    assert.match(hover.contents.value, /compiled-per-call/);
    await connection.sendRequest(rpc.ShutdownRequest.type);
    await connection.sendNotification(rpc.ExitNotification.type);
  } finally {
    connection.dispose();
    server.kill();
    fs.rmSync(folder, { recursive: true });
  }
});
