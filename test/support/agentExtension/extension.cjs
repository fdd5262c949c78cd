/** Calls tools of other extensions like an agent: asks for the call, and copies the answer to the clipboard. */
const { commands, env, lm, window } = require('vscode');

exports.activate = ({ subscriptions }) => {
  subscriptions.push(commands.registerCommand('testAgent.call', call));
};

async function call() {
  const text = await window.showInputBox({ prompt: 'Tool and input as JSON', ignoreFocusOut: true });
  if (text === undefined) return;
  const { name, input } = JSON.parse(text);
  await env.clipboard.writeText(await invoke(name, input));
}

async function invoke(name, input) {
  try {
    const { content } = await lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return `${name}: ${content.map(({ value }) => value).join('')}`;
  } catch (error) {
    return `${name}: ${JSON.stringify({ thrown: error.message })}`;
  }
}
