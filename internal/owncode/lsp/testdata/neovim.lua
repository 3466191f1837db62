-- Neovim opens a package, has it measured by checkalloc lsp, edits it, has a heap profile shown, and prints what it is
-- told.
local function show(...) io.stdout:write(table.concat({ ... }, ' '), '\n') end

local function fail(why)
  show('failed:', why)
  vim.cmd('cquit')
end

vim.cmd('edit ' .. vim.env.MODULE .. '/label_test.go')
local test = vim.api.nvim_get_current_buf()
vim.cmd('edit ' .. vim.env.MODULE .. '/label.go')
local code = vim.api.nvim_get_current_buf()

local id = vim.lsp.start_client({ name = 'checkalloc', cmd = { vim.env.CHECKALLOC, 'lsp' }, root_dir = vim.env.MODULE })
if not id then fail('the server does not start') end
vim.lsp.buf_attach_client(test, id)
vim.lsp.buf_attach_client(code, id)
local client = vim.lsp.get_client_by_id(id)
if not vim.wait(60000, function() return client.initialized end) then fail('no answer to initialize') end

local function request(buffer, method, params)
  params.textDocument = vim.lsp.util.make_text_document_params(buffer)
  local answer, why = client.request_sync(method, params, 120000, buffer)
  if not answer or answer.err then fail(method .. ': ' .. vim.inspect(answer and answer.err or why)) end
  return answer.result
end

local function hints(when, part)
  local all, found = { start = { line = 0, character = 0 }, ['end'] = { line = 1000, character = 0 } }, false
  for _, hint in ipairs(request(code, 'textDocument/inlayHint', { range = all })) do
    if not part or hint.label:find(part, 1, true) then
      show(when, 'hint', hint.position.line + 1 .. ':', hint.label)
      found = true
    end
  end
  return found
end

hints('before:')
request(code, 'workspace/executeCommand', {
  command = 'checkalloc.measure', arguments = { { uri = vim.uri_from_bufnr(code) } },
})
hints('measured:')
for _, lens in ipairs(request(test, 'textDocument/codeLens', {})) do show('lens:', lens.command.title) end
local hover = request(code, 'textDocument/hover', { position = { line = 7, character = 0 } })
show('hover:', vim.split(hover.contents.value, '\n')[1])
for _, action in ipairs(request(test, 'textDocument/codeAction', {
  range = { start = { line = 17, character = 0 }, ['end'] = { line = 17, character = 0 } },
  context = { diagnostics = {}, only = { 'refactor' } },
})) do
  show('action:', action.title)
  vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
end
show('line 19:', vim.api.nvim_buf_get_lines(test, 18, 19, false)[1])
vim.api.nvim_buf_set_lines(test, 18, 19, false, { '//checkalloc:allocs<=1' })
vim.api.nvim_buf_set_lines(code, 0, 0, false, { '// Package label writes labels.' })
hints('edited:')
vim.wait(10000, function() return #vim.diagnostic.get(test) > 0 end)
for _, d in ipairs(vim.diagnostic.get(test)) do show('diagnostic', d.lnum + 1 .. ':', d.message) end
client.notify('workspace/didChangeConfiguration', {
  settings = { checkalloc = { profile = 'allocs.pb.gz', per = 'requests=500000' } },
})
for _ = 1, 1200 do
  if hints('profile:', 'in production') then break end
  vim.wait(100)
end
vim.lsp.stop_client(id)
if not vim.wait(60000, function() return client.is_stopped() end) then fail('the server does not stop') end
vim.cmd('qall!')
