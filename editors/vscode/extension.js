"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { clientOptions, serverOptions } = require("./options");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("deepperf");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    "deepperf",
    "deepperf",
    serverOptions(settings.get("command"), folder),
    clientOptions(settings.get("settings")),
  );
  await client.start();
}

async function stop() {
  await client?.stop();
  client = undefined;
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("deepperf.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("deepperf")) {
        await restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
