"use strict";

/** How the server is started: a command with its arguments, in the folder that is open. */
function serverOptions(command, folder) {
  const [program, ...args] = command;
  return { command: program, args, options: { cwd: folder } };
}

/** Which documents are told of, and what the server is told of settings. */
function clientOptions(settings) {
  return {
    documentSelector: [
      { scheme: "file", language: "python" },
      { notebook: "jupyter-notebook", language: "python" },
    ],
    initializationOptions: { settings },
  };
}

module.exports = { clientOptions, serverOptions };
