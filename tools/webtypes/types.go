package main

// packages are the import paths of all packages that declare types for the pages.
var packages = []string{
	"onthestack/internal/bookdata",
	"onthestack/internal/escape",
	"onthestack/internal/execution",
	"onthestack/internal/exercise",
	"onthestack/internal/harness/wire",
	"onthestack/internal/present",
	"onthestack/internal/programs",
	"onthestack/internal/step",
	"onthestack/internal/verdict",
	"onthestack/internal/why",
	"onthestack/runner/api",
	"onthestack/runner/queue",
	"onthestack/runner/request",
	"onthestack/runner/room",
	"onthestack/runner/room/roomhttp",
	"onthestack/tools/bookalloc/expand",
	"onthestack/tools/bookalloc/site",
	"onthestack/tools/engine",
}

// A file is one that is written. It has the constants, the enums, and the types, each as "import/path.Name".
type file struct {
	name      string
	about     string
	constants []constantName
	enums     []enum
	types     []string
}

// A constantName is the name in TypeScript of a constant string or integer.
type constantName struct{ name, constant string }

// An enum is a set of string constants, and the string fields that have one of them as their value.
type enum struct {
	pkg       string
	constants []string
	name      string   // of the type in TypeScript
	list      string   // of the array of its values there, in the order of constants
	fields    []string // "onthestack/internal/verdict.Verdict.Stage"
	empty     bool     // whether the fields may be "" as well
}

// files are the generated files, in this order: a type that types of several files contain is in the first of them.
// There is a file for each set of scripts that need the same types, because the build of the pages splits scripts by
// whole files.
var files = []file{
	{
		name:  "runner.ts",
		about: "Answers of the runner, and of the engine in a page.",
		constants: []constantName{
			{"VERDICT_SCHEMA", "onthestack/internal/verdict.Schema"},
			{"STAGE_OK", "onthestack/internal/present.StageOK"},
			{"STAGE_NOT_YET", "onthestack/internal/present.StageNotYet"},
			{"STAGE_NOT_REACHED", "onthestack/internal/present.StageNotReached"},
		},
		enums: []enum{
			{
				pkg:       "onthestack/internal/verdict",
				constants: []string{"StagePolicy", "StageBuild", "StageTests", "StageBenchmark"},
				name:      "Stage", list: "STAGES",
				fields: []string{"onthestack/internal/verdict.Verdict.Stage"}, empty: true,
			},
			{
				pkg:       "onthestack/internal/execution",
				constants: []string{"Stdout", "Stderr"},
				name:      "Stream", list: "STREAMS",
				fields: []string{"onthestack/internal/execution.Event.Kind"},
			},
		},
		types: []string{
			"onthestack/internal/verdict.Verdict",
			"onthestack/internal/programs.Response",
			"onthestack/internal/programs.Report",
			"onthestack/internal/programs.Formatted",
			"onthestack/runner/api.goRelease",
			"onthestack/runner/request.Error",
			"onthestack/runner/api.busyAnswer",
			"onthestack/runner/queue.queuedData",
			"onthestack/runner/queue.stageData",
		},
	},
	{
		name:  "workspace.ts",
		about: "The reader's workspace, as the runner answers.",
		types: []string{"onthestack/runner/api.workspaceCopy"},
	},
	{
		name:  "book.ts",
		about: "Data in the pages of the book, for their scripts.",
		types: []string{
			"onthestack/tools/bookalloc/expand.predictData",
			"onthestack/tools/bookalloc/expand.programData",
			"onthestack/tools/bookalloc/expand.questionData",
			"onthestack/tools/bookalloc/expand.gctraceData",
		},
	},
	{
		name:  "exercise.ts",
		about: "The data of an exercise, and the files that its page fetches.",
		types: []string{
			"onthestack/tools/bookalloc/expand.exerciseData",
			"onthestack/tools/bookalloc/expand.solutionFile",
			"onthestack/tools/bookalloc/site.Mistake",
		},
	},
	{
		name:  "play.ts",
		about: "The file of examples that the editor's page fetches.",
		types: []string{"onthestack/tools/bookalloc/site.Programs"},
	},
	{
		name:  "step.ts",
		about: "The steps of a program: its stack and its heap after each statement.",
		constants: []constantName{
			{"STEPS_SCHEMA", "onthestack/internal/step.Schema"},
			{"STEPS_COMPARED_SCHEMA", "onthestack/internal/step.CompareSchema"},
		},
		types: []string{"onthestack/internal/step.Comparison"},
	},
	{
		name:  "room.ts",
		about: "Rooms, as the runner answers.",
		types: []string{
			"onthestack/runner/room/roomhttp.roomView",
			"onthestack/runner/room/roomhttp.roomsAnswer",
			"onthestack/runner/room.Progress",
			"onthestack/runner/room/roomhttp.codeView",
			"onthestack/runner/room/roomhttp.historyAnswer",
		},
	},
	{
		name:  "room-limits.ts",
		about: "What the server accepts in a room: the most characters of a text, minutes of a countdown, and so on.",
		constants: []constantName{
			{"MAX_TITLE", "onthestack/runner/room.MaxTitle"},
			{"MAX_NAME", "onthestack/runner/room.MaxName"},
			{"MAX_IDENTIFIER", "onthestack/runner/room.MaxIdentifier"},
			{"MAX_TEXT", "onthestack/runner/room.MaxText"},
			{"MAX_MINUTES", "onthestack/runner/room.MaxMinutes"},
			{"MAX_ANSWER", "onthestack/runner/room.MaxAnswer"},
			{"MAX_TEST", "onthestack/runner/room.MaxTest"},
		},
	},
	{
		name:  "poll.ts",
		about: "The questions that a room can be asked, as the site has them.",
		types: []string{
			"onthestack/tools/bookalloc/site.BookQuestion",
			"onthestack/tools/bookalloc/site.ChapterQuestions",
		},
	},
	{
		name:  "engine.ts",
		about: "The files that describe the engine of a page.",
		constants: []constantName{
			{"ENGINE_SCHEMA", "onthestack/tools/engine.schema"},
			{"OUT_OF_MEMORY", "onthestack/internal/execution.outOfMemoryPattern"},
		},
		types: []string{
			"onthestack/tools/engine.manifest",
			"onthestack/tools/engine.packHeader",
		},
	},
}

// names are the names in TypeScript of types whose own would be unclear outside their package, or are taken there. All
// others keep theirs, with a capital letter.
var names = map[string]string{
	"onthestack/internal/bookdata.Misconception":      "Mistake",
	"onthestack/runner/request.Error":                 "ErrorAnswer",
	"onthestack/internal/escape.Kind":                 "EscapeKind",
	"onthestack/internal/execution.Event":             "RunEvent",
	"onthestack/internal/exercise.Figure":             "Measured",
	"onthestack/internal/programs.Response":           "ProgramRun",
	"onthestack/internal/step.Compared":               "ComparedSteps",
	"onthestack/internal/step.Comparison":             "StepsComparison",
	"onthestack/internal/step.Document":               "Steps",
	"onthestack/internal/step.End":                    "StepsEnd",
	"onthestack/internal/step.Frame":                  "StackFrame",
	"onthestack/internal/step.Function":               "StepsFunction",
	"onthestack/internal/step.Line":                   "AllocatingLine",
	"onthestack/internal/step.Object":                 "MemoryObject",
	"onthestack/internal/step.Slot":                   "Variable",
	"onthestack/internal/step.Step":                   "ProgramStep",
	"onthestack/internal/step.Target":                 "PointerTarget",
	"onthestack/internal/step.Value":                  "MemoryValue",
	"onthestack/runner/room/roomhttp.codeView":        "CheckedCode",
	"onthestack/runner/room/roomhttp.countView":       "AnswerCount",
	"onthestack/runner/room/roomhttp.handedView":      "HandedIn",
	"onthestack/runner/room/roomhttp.historyAnswer":   "HandedInList",
	"onthestack/runner/room/roomhttp.messageView":     "Message",
	"onthestack/runner/room/roomhttp.participantView": "Participant",
	"onthestack/runner/room/roomhttp.projectedView":   "Projected",
	"onthestack/runner/room/roomhttp.questionView":    "RoomQuestion",
	"onthestack/runner/room/roomhttp.removedView":     "Removed",
	"onthestack/runner/room/roomhttp.roomLine":        "ListedRoom",
	"onthestack/runner/room/roomhttp.roomView":        "Room",
	"onthestack/runner/room/roomhttp.roomsAnswer":     "Rooms",
	"onthestack/runner/room/roomhttp.sharedView":      "SharedSubmission",
	"onthestack/runner/room/roomhttp.sitesView":       "Sites",
	"onthestack/runner/room/roomhttp.workView":        "Work",
	"onthestack/tools/bookalloc/expand.linkData":      "Listed",
	"onthestack/tools/bookalloc/expand.predictData":   "Question",
	"onthestack/tools/bookalloc/expand.predictFigure": "Figure",
	"onthestack/tools/bookalloc/expand.solutionFile":  "SolutionData",
	"onthestack/tools/bookalloc/site.Mistake":         "AppliedMistake",
	"onthestack/tools/bookalloc/site.Program":         "Example",
	"onthestack/tools/engine.packed":                  "PackedArchive",
	"onthestack/tools/engine.sizes":                   "Part",
}
