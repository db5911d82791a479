-- What JOSS writes as LaTeX, \label and \autoref, for other outputs: numbers in the order of appearance, and links.
local numbers, counts = {}, { fig = 0, tab = 0 }
local words = { fig = "Figure", tab = "Table" }

local function collect(raw)
  local kind, name = raw.text:match("^\\label{(%a+):([%w-]+)}$")
  if kind then
    -- An image's caption is walked twice, as the figure's and as the image's own.
    if not numbers[kind .. ":" .. name] then
      counts[kind] = counts[kind] + 1
      numbers[kind .. ":" .. name] = words[kind] .. "\u{a0}" .. counts[kind]
    end
    return {}
  end
end

local function refer(raw)
  local name = raw.text:match("^\\autoref{([%a]+:[%w-]+)}$")
  if name then
    assert(numbers[name], "There is no \\label{" .. name .. "}.")
    return pandoc.Str(numbers[name])
  end
end

return { { RawInline = collect }, { RawInline = refer } }
