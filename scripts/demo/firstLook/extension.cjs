/** Shows the Data Transfer view and the walkthrough in the first window of a demo. Reloaded windows stay as they are. */
const { commands } = require('vscode');

const walkthrough = 'data-transfer-explorer.data-transfer-explorer#firstSteps';

exports.activate = async ({ globalState }) => {
  if (globalState.get('shown')) return;
  await globalState.update('shown', true);
  await commands.executeCommand('workbench.view.extension.dataTransfer');
  await commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false);
};
